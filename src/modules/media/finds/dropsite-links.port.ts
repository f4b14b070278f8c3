import { Injectable } from '@nestjs/common';

/** Returns the id of the customer's dropsite with this link; null: no such dropsite exists. */
export type DropsiteFinder = (customerId: number, link: string) => Promise<number | null>;

/** Finds the dropsite with a link. The media module must not depend on dropsites, so the dropsites module registers its finder here. */
@Injectable()
export class DropsiteLinks {
  private finder: DropsiteFinder | null = null;

  /** Registers the finder; must be called before the application starts. */
  register(finder: DropsiteFinder): void {
    this.finder = finder;
  }

  async findId(customerId: number, link: string): Promise<number | null> {
    return (await this.finder?.(customerId, link)) ?? null;
  }
}
