import { join } from 'node:path'
import { deadLinks } from './dead-links.ts'

// Fails the build when a link of the built site leads nowhere.

const { SITE_URL = 'http://site/' } = process.env
const base = `${new URL(SITE_URL).pathname.replace(/\/$/, '')}/`
const dead = [...new Set(deadLinks(join(import.meta.dirname, '../dist'), base))]
if (dead.length > 0) {
  console.error(dead.join('\n'))
  process.exitCode = 1
}
