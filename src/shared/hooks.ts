/**
 * Functions of higher modules that a lower module calls in its transaction. A subclass names them and is the token by which they are injected; `Subject`
 * is what they are given. Where only one module answers, and does not itself need the service that asks, a port is simpler: an abstract class.
 */
export abstract class Hooks<Subject> {
  private readonly all: ((subject: Subject) => Promise<void>)[] = [];

  /** Adds a hook; must be called before the application starts. */
  add(hook: (subject: Subject) => Promise<void>): void {
    this.all.push(hook);
  }

  /** Calls the hooks one after the other, in the order in which they were added. */
  async run(subject: Subject): Promise<void> {
    for (const hook of this.all) await hook(subject);
  }
}
