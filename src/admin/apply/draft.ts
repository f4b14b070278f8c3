/** An entry of a section on its way: what of it is sound, until all of it is. */
export interface Draft<Entry extends object> {
  /** `users.0` */
  readonly path: string;
  /** The fields that were given and are right by themselves. */
  readonly fields: Partial<Entry>;
  /** Fields that were given and are wrong. What they would have said is not known, so rules about them have to wait. */
  readonly unsound: ReadonlySet<string>;
}
