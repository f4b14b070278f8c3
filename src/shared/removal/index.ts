export { type ErasureScope, erasedAddress, isErasedAddress, type Person, type PersonName, PersonPattern } from './person-pattern.js';
export { PersonalText } from './personal-text.js';
export { ReferencesRepository, type Referring, type RowCounts } from './references.repository.js';
export { type ErasedPerson, TextErasureRepository, type Traces } from './text-erasure.repository.js';
export { WorkInProgressService } from './work-in-progress.service.js';
