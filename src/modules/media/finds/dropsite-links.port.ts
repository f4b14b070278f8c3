import { Injectable } from '@nestjs/common';

/** The id of the customer's dropsite with this link; null: no such dropsite exists. */
export type DropsiteFinder = (customerId: number, link: string) => Promise<number | null>;

/** Finds the dropsite of a link. The module media must not depend on dropsites, so that module registers its finder here. */
@Injectable()
export class DropsiteLinks {
  private finder: DropsiteFinder | null = null;

  /** Register before the application starts. */
  register(finder: DropsiteFinder): void {
    this.finder = finder;
  }

  async findId(customerId: number, link: string): Promise<number | null> {
    return (await this.finder?.(customerId, link)) ?? null;
  }
}
