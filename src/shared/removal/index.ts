export { OnErasure } from './on-erasure.js';
export { erasedAddress, isErasedAddress, PersonPattern } from './person-pattern.js';
export { ReferencesRepository, type Referring, type RowCounts } from './references.repository.js';
export { type ErasedPerson, TextErasureRepository, type Traces } from './text-erasure.repository.js';
export { LongWork, WorkInProgressService } from './work-in-progress.service.js';
