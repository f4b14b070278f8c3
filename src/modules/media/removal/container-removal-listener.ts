import { Injectable } from '@nestjs/common';

/** Hears that a media container is about to go for good, in the transaction that decides it. */
export interface ContainerRemovalListener {
  containerDoomed(containerId: number): Promise<void>;
}

/** Who hears when a container goes: the port by which what is being made of it ends. */
@Injectable()
export class ContainerRemovalListeners {
  private readonly all: ContainerRemovalListener[] = [];

  /** Register before the application starts. */
  register(listener: ContainerRemovalListener): void {
    this.all.push(listener);
  }

  async tell(containerId: number): Promise<void> {
    for (const listener of this.all) await listener.containerDoomed(containerId);
  }
}
