// Threads of the service run in tests from src; this makes them load TypeScript (typescript-hooks.mjs).
import { register } from 'node:module';

register(new URL('./typescript-hooks.mjs', import.meta.url));
