import { startStorageUnderTest } from '../../test/support/storage/local-storage.js';
import { describeObjectStorage } from '../../test/support/storage/object-storage-suite.js';

describeObjectStorage('The local object storage', startStorageUnderTest);
