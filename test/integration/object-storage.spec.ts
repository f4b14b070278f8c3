import { startLocalStorage } from '../support/local-storage.js';
import { describeObjectStorage } from '../support/object-storage-suite.js';

describeObjectStorage('The local object storage', startLocalStorage);
