/** The entered values, trimmed except for the password. */
export class SenderForm {
  get password() {
    return field('password')?.value ?? '';
  }

  /** Null: nothing was entered. */
  get sender() {
    const sender = { email: textOf('email'), firstname: textOf('firstname'), lastname: textOf('lastname') };
    return Object.values(sender).some(Boolean) ? sender : null;
  }

  get isEmailGood() {
    return field('email')?.checkValidity() ?? true;
  }
}

/** @param {string} id */
function field(id) {
  const input = document.getElementById(id);
  return input instanceof HTMLInputElement ? input : null;
}

/** @param {string} id */
const textOf = (id) => field(id)?.value.trim() ?? '';
