export { AccessKey } from './access-key.entity.js';
export { type AccessKeyDeclaration, AccessKeys, type OpenedAccessKey } from './access-keys.js';
export { AccountsModule } from './accounts.module.js';
export { AccountsService, type CustomerDeclaration, type UserDeclaration } from './accounts.service.js';
export { Customer } from './customer.entity.js';
export { LoginFailure } from './login-failure.entity.js';
export { PasswordLogin } from './password-login.js';
export { type Principal, Principals } from './principals.js';
export { User } from './user.entity.js';
