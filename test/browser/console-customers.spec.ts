import { describe, expect, it } from '@jest/globals';
import { AccountsService } from '../../src/modules/accounts/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useConsole } from '../support/browser/console-stage.js';
import { call } from '../support/media/uploads.js';

describe('the customers of the console', () => {
  const stage = useConsole({ worker: 'off' });
  const heading = (name: string) => stage.page.getByRole('heading', { name, exact: true });
  const button = (name: string) => stage.page.getByRole('button', { name, exact: true });

  const signInAsOperator = async () => {
    stage.user = await aUser(stage.app, { customer: 'Operator', adminLevel: 100, firstname: 'Olive' });
    await stage.app.app.get(AccountsService).declareCustomer({ name: 'Operator', operator: true });
  };

  it('are created, found and changed by operators, with their people and what they use', async () => {
    const { page } = stage;
    const { name: taken } = (await call<{ name: string }>(`${stage.app.url}/v5/customer`, { token: stage.token })).body;
    await signInAsOperator();
    await stage.open('/customers');
    await page.getByRole('link', { name: 'Operator', exact: true }).waitFor();
    await page.getByRole('link', { name: taken, exact: true }).waitFor();
    await stage.inspect('customers');
    await page.getByRole('link', { name: 'New customer' }).click();
    await button('Create the customer').click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name').fill(taken);
    await button('Create the customer').click();
    await page.getByText('Another customer has this name.').waitFor();
    await stage.inspect('customer with errors');
    await page.getByLabel('Name').fill('<b>Harbour</b> TV');
    await button('Create the customer').click();
    await heading('<b>Harbour</b> TV').waitFor();
    await heading('No person matches').waitFor();
    await page.getByText(/^0 bytes? are stored/).waitFor();

    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Harbour TV');
    await page.getByRole('switch', { name: 'Everyone needs a second factor' }).click();
    await button('Save').click();
    await heading('Harbour TV').waitFor();
    await page.getByRole('link', { name: 'Invite a person' }).click();
    await page.getByLabel('E-mail address').fill('first@harbour.example');
    await page.getByLabel('Level').fill('9');
    await button('Send the invitation').click();
    await heading('first@harbour.example').waitFor();
    await page.getByRole('link', { name: 'Back to the people' }).click();
    await page.getByRole('link', { name: 'first@harbour.example' }).waitFor();
    await stage.inspect('customer');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 740 });
    await stage.inspect('customer on a phone, dark');
    await stage.open('/customers?search=harbour');
    await page.getByRole('link', { name: 'Harbour TV' }).waitFor();
    expect(await page.getByRole('link', { name: 'Operator', exact: true }).count()).toBe(0);
    await stage.inspect('customers on a phone, dark');
    await page.getByRole('searchbox', { name: 'Name' }).fill('nothing of that kind');
    await heading('No customer matches').waitFor();
  });

  it('do not exist for level 100 of another customer', async () => {
    const { page } = stage;
    stage.user = await aUser(stage.app, { adminLevel: 100 });
    await stage.open('/customers');
    await heading('This page does not exist').waitFor();
    await stage.open('/team');
    await heading('Team').waitFor();
    expect(await page.getByRole('link', { name: 'Customers' }).count()).toBe(0);
  });
});
