// The entry for runtimes that are processes: Node, Bun and Deno.
import input from './input.json' with { type: 'json' }
import { runSuite } from './suite.js'

const results = await runSuite(input)
console.log(JSON.stringify(results))
