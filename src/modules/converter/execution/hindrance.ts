/** Something that may pass stands in the way of a job: a storage that is away, a disk that is full. */
export class Hindrance extends Error {
  override readonly name = 'Hindrance';
}
