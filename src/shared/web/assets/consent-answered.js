// Tells the frame that opened this window that the person has answered.
if (window.opener) {
  window.opener.postMessage({ type: 'consent_answered' }, window.location.origin);
  window.close();
}
