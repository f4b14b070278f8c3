// Hands the answer of an authorization request on: to the page that framed the sign-in, or to the frame that opened this window.
const { response, redirect, receiver, origin } = document.querySelector('[data-response]').dataset;
if (receiver === 'parent' && window.parent === window) {
  window.location.replace(redirect); // not in a frame
} else if (receiver === 'parent') {
  window.parent.postMessage(JSON.parse(response), origin);
} else if (window.opener) {
  window.opener.postMessage({ response: JSON.parse(response), redirect }, window.location.origin);
  window.close();
}
