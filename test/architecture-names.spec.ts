import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '..');

/** Where records are found and declared without a caller: by the start of the service and by `admin apply`. */
const PLACES = ['src/admin/apply', 'src/embedded', 'src/process', 'src/modules/console', 'src/modules/formats/blueprints'];

/**
 * The finds and declarations of these places by a name or a number, and what keeps a record with this name that a customer made from being taken for one
 * of the service or the operator. A new one is added with its reason.
 */
const FOUND_BY_NAME: Readonly<Record<string, string>> = {
  'access-keys-section.ts declare': 'the section refuses a key that acts as a user of another customer',
  'access-keys-section.ts findByEmail': 'only whether the user exists',
  'access-keys-section.ts findStored': 'the section refuses a key that acts as a user of another customer',
  'access-keys-section.ts getByEmail': 'the file names the user for whom the key acts; an address belongs to one user of the whole service',
  'clients-section.ts declare': 'ClientsService.declare refuses clients of customers and ids of the service',
  'clients-section.ts findByEmail': 'only whether the user exists; the operator names whom the client acts for',
  'clients-section.ts findRefusal': 'the rule for clients itself',
  'clients-section.ts findStored': 'refused by findRefusal if it belongs to a customer',
  'customers-section.ts declare': 'quotas, by the id of the customer that was found',
  'customers-section.ts declareCustomer': 'found by the name that the operator declared',
  'customers-section.ts findDeclaredCustomer': 'found by the name that the operator declared',
  'customers-section.ts findNameRefusal': 'the rule for customers itself',
  'dropsites-section.ts declare': 'a link of another customer is refused; owner and name find only a dropsite of the owner',
  'dropsites-section.ts findByEmail': 'only whether the user exists',
  'dropsites-section.ts findDeclared': 'a link of another customer is refused; owner and name find only a dropsite of the owner',
  'dropsites-section.ts getByEmail': 'the file names the owner; an address belongs to one user of the whole service',
  'identity-providers-section.ts declare': 'an ssoIdentifier of another customer is refused',
  'identity-providers-section.ts find': 'an ssoIdentifier of another customer is refused',
  'identity-providers-section.ts findDeclaredCustomer': 'found by the name that the operator declared',
  'users-section.ts declareUser': 'an address at another customer is refused',
  'users-section.ts findByEmail': 'an address at another customer is refused',
  'users-section.ts findDeclaredCustomer': 'found by the name that the operator declared',
  'declare-demo.ts declare': 'owner and name find only a dropsite of the demo user',
  'declare-demo.ts declareCustomer': 'found by the name that the service declared',
  'declare-demo.ts declareOwn': 'ClientsService.declare refuses clients of customers; the type reserves the id',
  'declare-demo.ts declareUser': 'an address at another customer is refused',
  'console-client.service.ts declareOwn': 'ClientsService.declare refuses clients of customers; the type reserves the id',
  'console-client.service.ts findStored': 'only one of the operator counts',
  'blueprint-seeder.service.ts seed': 'blueprint keys are set by this statement only',
  'serve-all.ts declare': 'ConsoleClientService, whose finds are listed above',
};

/** Methods with such a name that find by id, or find nothing that is stored. */
const OTHERS =
  /^(declareLocked|declares|declared|findById|findProblems|find\w+Problems?|findIrregular|findWithoutPkce|findRepeated|findUnknown)$/;
/** A plain `find` counts only on a service; lists have it too. */
const CALL = /\.((?:find|getBy|declare|seed)[A-Za-z]+|declare|seed|(?<=(?:providers|Service\))\.)find)\(/g;

it('everything that a start or apply finds by a name is decided: customers choose names too', () => {
  const files = PLACES.flatMap((folder) => readdirSync(path.join(root, folder)).map((name) => path.join(folder, name)));
  const found = files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !/apply\/(apply|read-sections)\.ts$/.test(file))
    .flatMap((file) => {
      const calls = [...readFileSync(path.join(root, file), 'utf8').matchAll(CALL)].map(([, name = '']) => name);
      return calls.filter((name) => !OTHERS.test(name)).map((name) => `${path.basename(file)} ${name}`);
    });
  expect([...new Set(found)].sort()).toEqual(Object.keys(FOUND_BY_NAME).sort());
});
