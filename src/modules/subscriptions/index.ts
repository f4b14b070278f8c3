export { InstructionAuthenticationService } from './instructions/api/instruction-authentication.service.js';
export { SubscriptionLog } from './logs/subscription-log.entity.js';
export { SubscriptionRun } from './runs/subscription-run.entity.js';
export { Subscription } from './subscription.entity.js';
export { SubscriptionsModule } from './subscriptions.module.js';
