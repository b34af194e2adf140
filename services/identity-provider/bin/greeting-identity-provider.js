#!/usr/bin/env node
// Plain JavaScript of the oldest kind, so that a Node too old for the rest can still say so.
var needed = 24
var found = Number(process.versions.node.split('.')[0])

if (found < needed) {
  console.error(
    'greeting-identity-provider needs Node ' +
      needed +
      ' or newer, and this is Node ' +
      process.versions.node +
      '. Install Node 24 or newer.',
  )
  process.exit(1)
}
// A stack trace then names the source.
process.setSourceMapsEnabled(true)
import('#main')
