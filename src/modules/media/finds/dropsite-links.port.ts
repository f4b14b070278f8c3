import { Injectable } from '@nestjs/common';

/** The id of the customer's dropsite with this link; null: there is no such dropsite. */
export type DropsiteFinder = (customerId: number, link: string) => Promise<number | null>;

/** How finds learn which dropsite a link belongs to: media knows no dropsites, so that module registers itself. */
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
