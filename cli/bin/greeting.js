#!/usr/bin/env node
// Plain JavaScript of the oldest kind, so that a Node too old for the rest can still say so.
var needed = 24
var found = Number(process.versions.node.split('.')[0])

if (found < needed) {
  console.error(
    'greeting needs Node ' +
      needed +
      ' or newer, and this is Node ' +
      process.versions.node +
      '. On Linux and Windows "npm ci" installs Node 24 for "npm start" and "npx greeting"; elsewhere, install it first.',
  )
  process.exit(1)
}
import('./compile-cache.js').then((cache) => {
  cache.enableCompileCache(process.env)
  return import('../src/main.ts')
})
