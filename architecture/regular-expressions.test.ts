import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createContext, Script } from 'node:vm'
import { type RegexInput, regexInputs } from './regex-inputs.ts'
import { regexLiterals } from './regex-literals.ts'
import { read, sources } from './source-tree.ts'

const longestMs = 5
/** A busy machine delays some runs, and not all of them. */
const attempts = 5
/** Above this time, linear growth is too slow as well. */
const longestLinearMs = 50
const screenedCharacters = 2048
const runs = 7

/** Parts that are repeated in hostile texts. */
const pumps = [
  ...[
    ' ',
    '\t',
    '\r\n',
    '\n',
    ' \t',
    'a',
    'A',
    'aA',
    '0',
    '0a',
    '-',
    '.',
    '/',
    ':',
    ';',
    '=',
    ',',
    '%',
  ],
  ...[
    '+',
    '_',
    "'",
    "''",
    '"',
    '\\',
    '`',
    '[',
    ']',
    '(',
    ')',
    '{',
    '}',
    '{a',
    '@',
    '&',
    '<',
    '?',
    '#',
  ],
  ...[
    '\0',
    'é',
    '\u2028',
    'a.',
    'a-',
    'a/',
    '/a',
    'a:',
    '//',
    '0.',
    '0,',
    '; ',
    ' ;',
    '  ;',
    ', ',
    ',bearer',
  ],
  ...[
    ' and ',
    " eq '",
    '-----',
    '-----BEGIN PRIVATE KEY-----\n',
    'PRIVATE KEY',
    ' Trace ID:',
    'error="',
  ],
]
const ends = ['', '!', '\n', '\0', 'a', 'a\n', '0', ' ', '/', ';', ',', '\nx', ' !']

const searching = new Script(
  `times = texts.map((text) => {
     const startMs = now()
     if (pattern.global) text.replace(pattern, '')
     else pattern.exec(text)
     return now() - startMs
   })`,
)
const sandbox = createContext({
  now: () => performance.now(),
  texts: [''],
  pattern: / /,
  times: [0],
})

const limitMs = 3000

/** The time of each text; undefined above the limit. Only the time limit of a script can stop a search. */
function timesMs(
  pattern: RegExp,
  texts: readonly string[],
  timeout: number,
): readonly number[] | undefined {
  sandbox.pattern = pattern
  sandbox.texts = texts
  try {
    searching.runInContext(sandbox, { timeout })
    return sandbox.times
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    return undefined
  }
}

type Shape = { readonly start: string; readonly pump: string; readonly end: string }

const textOf = ({ start, pump, end }: Shape, characters: number): string => {
  const count = Math.max(0, Math.floor((characters - start.length - end.length) / pump.length))
  return `${start}${pump.repeat(count)}${end}`.slice(0, characters)
}

const shapesOf = ({ starts }: RegexInput): Shape[] =>
  ['', ...starts].flatMap((start) =>
    pumps.flatMap((pump) => ends.map((end) => ({ start, pump, end }))),
  )

/** The slowest shapes of short texts. Shapes with more than linear time are among them. */
function costliest(
  { pattern, longest = 0 }: RegexInput,
  shapes: readonly Shape[],
  timeout: number,
) {
  const texts = shapes.map((shape) => textOf(shape, Math.min(longest, screenedCharacters)))
  const first = timesMs(pattern, texts, timeout)
  if (first === undefined) return undefined
  const second = timesMs(pattern, texts, timeout) ?? first
  return shapes
    .map((shape, index) => ({ shape, ms: Math.min(first[index] ?? 0, second[index] ?? 0) }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 4)
    .map(({ shape }) => shape)
}

function fastestMs(pattern: RegExp, text: string, timeout: number): number {
  const times = timesMs(pattern, Array(runs).fill(text), timeout)
  return Math.min(...(times ?? [Number.POSITIVE_INFINITY]))
}

/** Whether a text takes the permitted time, or grows linearly, in one of several attempts. */
function isQuick(pattern: RegExp, text: string, timeout: number): boolean {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const ms = fastestMs(pattern, text, timeout)
    if (ms < longestMs) return true
    // Linear time grows by four here, and quadratic time by sixteen.
    const quarterMs = fastestMs(pattern, text.slice(0, text.length / 4), timeout)
    if (ms < longestLinearMs && ms < 8 * quarterMs) return true
  }
  return false
}

/** The first of the costliest texts of the greatest length that takes too long. */
function tooSlow(input: RegexInput, timeout = limitMs): { readonly shape?: Shape } | undefined {
  const shapes = costliest(input, shapesOf(input), timeout)
  if (shapes === undefined) return {}
  const slow = shapes.find(
    (shape) => !isQuick(input.pattern, textOf(shape, input.longest ?? 0), timeout),
  )
  return slow && { shape: slow }
}

const sourceFiles = sources.filter((file) =>
  /^(packages\/[\w-]+|services\/[\w-]+|cli)\/src\//.test(file),
)

describe('the regular expressions', () => {
  for (const file of sourceFiles) {
    const code = read(file)
    const literals = regexLiterals(code)
    const built = code.split('new RegExp(').length - 1
    const inputs = regexInputs[file] ?? []
    if (literals.length + built + inputs.length === 0) continue
    it(`of ${file} each have a row with their longest input (AS38, RS34)`, () => {
      const rows = inputs.filter(({ isBuilt }) => !isBuilt).map(({ pattern }) => String(pattern))
      assert.deepEqual(rows, literals)
      assert.equal(inputs.filter(({ isBuilt }) => isBuilt).length, built)
    })
  }

  it('of no other file have a row', () => {
    assert.deepEqual(
      Object.keys(regexInputs).filter((file) => !sourceFiles.includes(file)),
      [],
    )
  })

  const timed = Object.entries(regexInputs).flatMap(([file, inputs]) =>
    inputs.filter(({ longest }) => longest !== undefined).map((input) => ({ file, input })),
  )
  for (const { file, input } of timed) {
    const { pattern, longest } = input
    it(`take under 5 ms, or linear time, for ${longest} hostile characters: ${pattern} in ${file} (AS38, RS34)`, () => {
      assert.equal(tooSlow(input), undefined)
    })
  }

  const slow: [what: string, pattern: RegExp, ...starts: string[]][] = [
    ['nested repetitions', /^(a+)+$/],
    ['a type with parameters', /^application\/json[\t ]*(?:;[\t ]*[^;]+)*$/i, 'application/json'],
    ['blanks before a word', /\s+Trace ID: .*$/],
    ['a block without an end', /-----BEGIN [A-Z ]*PRIVATE KEY-----.+?-----END/s],
    ['blanks that two parts take', /^\w+:\s*(.*)$/, 'a:'],
    ['characters before the end', /[-.]+$/],
    ['digits without a unit', /(\d+(?:\.\d+)?)(ms|s)/g],
  ]
  for (const [what, pattern, ...starts] of slow) {
    it(`would fail with ${what}: ${pattern}`, () => {
      assert.ok(tooSlow({ pattern, starts, longest: 65_536, isBuilt: false }, 200))
    })
  }
})

describe('the search for literals', () => {
  const rows: [code: string, found: string[]][] = [
    ['const a = /b/', ['/b/']],
    ['f(/[/]\\//gu, 1)', ['/[/]\\//gu']],
    ['return /a/.test(b)', ['/a/']],
    ['const a = b / c / d', []],
    ['const a = (b + c) / d // no /e/', []],
    ['const a = \'/b/\' + "/c/"', []],
    ['/* /a/ */ const a = x => /b/', ['/b/']],
    ['const a = `/b/$' + '{c.replace(/d/, `/e/$' + '{/f/}`)}/g/`', ['/d/', '/f/']],
    ['const a = {\n  b: /c/,\n}', ['/c/']],
    ["import { a } from '../b/c.ts'", []],
  ]
  for (const [code, found] of rows)
    it(`finds ${found.length} in ${code}`, () => assert.deepEqual(regexLiterals(code), found))
})
