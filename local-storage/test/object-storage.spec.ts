import { startStorageUnderTest } from '../../test/support/local-storage.js';
import { describeObjectStorage } from '../../test/support/object-storage-suite.js';

describeObjectStorage('The local object storage', startStorageUnderTest);
