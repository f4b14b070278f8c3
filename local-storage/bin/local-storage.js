#!/usr/bin/env node
// npm links this file, which exists before the first build.
import '../dist/main.js';
