// Passes on the token of a link from an e-mail. It is the fragment of the address, which browsers send to no server.
const field = document.querySelector<HTMLInputElement>('#link');
const token = location.hash.slice(1);
if (field?.form && token) {
  history.replaceState(null, '', location.pathname); // neither the history nor a copied address keeps the token
  field.value = token;
  field.form.submit();
}

export {};
