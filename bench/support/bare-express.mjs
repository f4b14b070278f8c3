// The baseline: an Express route that returns a constant, with the defaults of Express.
import express from 'express';

const app = express();
app.get('/constant', (_request, response) => response.json({ active: true }));
app.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'));
