// The page at / leads to the console in browsers with JavaScript.
location.replace('/console');
