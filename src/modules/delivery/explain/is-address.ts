import { ValidateBy } from 'class-validator';
import { presupposes } from '../../../shared/validation/index.js';
import { parseAddress } from '../decision/parse-address.js';

/** An IPv4 or IPv6 address, as deliveries read the one of a viewer. */
export const IsAddress = () =>
  ValidateBy(
    {
      name: 'isAddress',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && parseAddress(value) !== null,
        defaultMessage: () => '$property must be an IPv4 or IPv6 address',
      },
    },
    presupposes('text'),
  );
