import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAst } from 'rolldown/parseAst'
import { analyse } from 'scslre'
import { read, sources } from './source-tree.ts'

/** The regular expressions that a text writes as literals. */
function literalsOf(code: string): RegExp[] {
  const found: RegExp[] = []
  JSON.stringify(parseAst(code, { lang: 'ts' }), (key, value) => {
    if (key === 'regex') found.push(new RegExp(value.pattern, value.flags))
    return typeof value === 'bigint' ? String(value) : value
  })
  return found
}

/** Whether the time of a search can grow faster than its text, with any text. */
const isSuperLinear = ({ source, flags }: RegExp) => analyse({ source, flags }).reports.length > 0

const products = sources.filter((file) =>
  /^(packages\/[^/]+|services\/[^/]+|cli)\/src\//.test(file),
)
const literals = products.flatMap((file) => literalsOf(read(file)))

/** Super-linear, but their texts are short. */
const shortTexts: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  { pattern: /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g, reason: 'A duration has at most 1,024 characters.' },
  { pattern: /=+$/, reason: 'The text is a digest.' },
]

const withoutLimit = (patterns: readonly RegExp[]) =>
  new Set(patterns.map(String)).difference(new Set(shortTexts.map(({ pattern }) => `${pattern}`)))

describe('the regular expressions', () => {
  it('take linear time, except those for short texts (AS38, RS34)', () => {
    assert.ok(literals.length > 100)
    const superLinear = literals.filter(isSuperLinear)
    assert.deepEqual([...withoutLimit(superLinear)], [])
    assert.equal(new Set(superLinear.map(String)).size, shortTexts.length, 'a row is not needed')
  })

  it('are found in template expressions, but not in comments or strings', () => {
    const code = 'const a = /b/ // /c/\nconst d = `/e/$' + "{f.replace(/g/u, '/h/')}`"
    assert.deepEqual(literalsOf(code).map(String), ['/b/', '/g/u'])
  })

  it("have the same pattern for this machine's host, although their files do not import each other", () => {
    const knows = (pattern: RegExp) => pattern.test('localhost') && pattern.test('127.0.0.1')
    const isStrict = (pattern: RegExp) =>
      !['a', 'a.b', 'localhost:1'].some((text) => pattern.test(text))
    const found = products.flatMap((file) =>
      literalsOf(read(file))
        .filter((pattern) => knows(pattern) && isStrict(pattern))
        .map((pattern): [string, RegExp] => [file, pattern]),
    )
    assert.deepEqual(found.map(([file]) => file.split('/src/')[0]).sort(), [
      'cli',
      'packages/client',
      'packages/guard',
    ])
    const [[, one] = ['', /$/]] = found
    assert.equal(new Set(found.map(([, pattern]) => `${pattern}`)).size, 1)
    for (const host of ['127.255.0.9', '[::1]']) assert.match(host, one)
    for (const host of ['localhost.a', 'a.localhost', '127.0.0.1.a', '128.0.0.1', '[::2]'])
      assert.doesNotMatch(host, one)
  })

  const slow: readonly RegExp[] = [
    /^(a+)+$/,
    /^application\/json[\t ]*(?:;[\t ]*[^;]+)*$/i,
    /\s+Trace ID: .*$/,
    /^\w+:\s*(.*)$/,
    /[-.]+$/,
  ]
  for (const pattern of slow)
    it(`would be refused if they included ${pattern}`, () => assert.ok(isSuperLinear(pattern)))
})

/** A regular expression that reads texts of others. */
type ForeignInput = {
  readonly pattern: RegExp
  /** Characters of its longest text. */
  readonly longest: number
  /** Texts that match the beginning of the expression, besides the empty text. */
  readonly starts: readonly string[]
}

const reads =
  (longest: number) =>
  (pattern: RegExp, ...starts: string[]): ForeignInput => ({ pattern, longest, starts })

/** A field of a request or a response, or its target: Node accepts 16 KB of them. */
const header = reads(16_384)
/** A parameter of a token request, a response to the client, or a file in a form of the portal. */
const form = reads(65_536)
/** A body of the management API. */
const body = reads(1_048_576)
/** A property whose length was checked before. */
const property = reads(1024)

const foreignInputs: readonly ForeignInput[] = [
  header(/,\s*bearer(\s|$)/i, ','),
  header(/\berror="([a-z_]{1,64})"/, 'error="'),
  header(/^basic +([A-Za-z0-9+/]+={0,2})$/i, 'basic ', 'basic a'),
  header(
    /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i,
    'a.',
  ),
  header(/^application\/json[\t ]*(?:;|$)/i, 'application/json', 'application/json;'),
  header(
    /^([A-Za-z.]+)\((?:(appId|uniqueName|name|tenantId|domainName)=)?'([^'()]*)'\)$/i,
    'a(',
    "a(appId='",
  ),
  header(/^boundary="?([\w'()+,./:=?-]{1,70})"?$/i, 'boundary=', 'boundary="'),
  header(/^content-type:[\t ]*multipart\//im, 'content-type:', '\t'),
  header(/\s+|'((?:[^']|'')*)'|([(),/:])|([0-9][\w.:+-]*|[A-Za-z_$@][\w.$@-]*)/y, "'", 'a', '0'),
  header(/^:([A-Za-z0-9+/]{1,16384}={0,2}):$/, ':'),
  header(/^(?:\[([^\]]{2,64})\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/, '[::', '1.1.1.1'),
  header(/^https?:\/\/[A-Za-z0-9.\-_:[\]]+(?:[/?]|$)/i, 'http://'),
  form(/^[a-z][a-z0-9+.-]*:/i, 'a'),
  form(/\p{Cc}+/gu),
  form(/^[A-Za-z0-9._~+/-]+=*$/, 'a'),
  form(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu),
  form(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|\/\/[^\n\r]*|\/\*.*?(?:\*\/|$)/gs, '"', '/*'),
  body(/( (?:href|action)=")\/portal(?=[/?#"])(?!\/static\/)/g, ' href="/portal'),
  property(
    /claims\['(\w{1,100})'\] (eq|matches) '((?:[^']|'')*)'/y,
    "claims['",
    "claims['a'] eq '",
  ),
  property(/^([a-z][a-z0-9+.-]*):\/\/([^/]+)(?:\/(.+))?$/, 'a', 'a://', 'a://a/'),
  property(/^(?:[^#]*#)?(?:microsoft\.)?graph\.(\w+)$/i, '#', '#graph.', 'graph.'),
  property(/^\s*(\w+)(?:\s+(asc|desc))?\s*$/i, 'a', 'a '),
  property(
    /(?:Policies|Properties|Objects|Grants|memberOf|OnBehalfOf|sponsors)$/i,
    'member',
    'Grants',
  ),
  property(/[^,(]+(?:\([^()]*\))?/g, 'a', ',', 'a(', 'a()'),
  property(/\s*(?:(AND|OR)\s+)?"([A-Za-z]+):((?:[^"\\]|\\.)*)"\s*/y, '"a:', 'AND '),
  property(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu),
]

/** Built by `new RegExp`, in their longest form. */
const built: readonly ForeignInput[] = [
  form(/"[^"\\]*(?:\\.[^"\\]*)*"\s*:\s*"[^"\\]*(?:\\.[^"\\]*)*"/sy, '"', '"a":"'),
  form(
    /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/,
    '-----BEGIN CERTIFICATE-----',
  ),
]

/** Parts that are repeated in hostile texts. */
const pumps = [
  ...' \t\naA0-./:;=,%+_\'"\\`[](){}@&<?#\0é\u2028',
  ...['\r\n', ' \t', 'aA', '0a', "''", '{a', 'a.', 'a-', 'a/', '/a', 'a:', '//', '0.', '0,'],
  ...['; ', ' ;', ', ', ',bearer', ' and ', " eq '", '-----', 'PRIVATE KEY', 'error="'],
]
const ends = ['', '!', '\n', '\0', 'a', 'a\n', '0', ' ', '/', ';', ',', '\nx', ' !']

/** The time of a search, the fastest of several attempts: a busy machine delays some. */
function searchMs(pattern: RegExp, text: string, attempts: number): number {
  const times = Array.from({ length: attempts }, () => {
    const startMs = performance.now()
    if (pattern.global) text.replace(pattern, '')
    else pattern.exec(text)
    return performance.now() - startMs
  })
  return Math.min(...times)
}

const longestMs = 5
/** Above this time, linear growth is too slow as well. */
const longestLinearMs = 50

/** Whether a text takes the permitted time, or grows linearly. */
function isQuick(pattern: RegExp, text: string): boolean {
  const ms = searchMs(pattern, text, 7)
  // Linear time grows by four here, and quadratic time by sixteen.
  const quarterMs = searchMs(pattern, text.slice(0, text.length / 4), 7)
  return ms < longestMs || (ms < longestLinearMs && ms < 8 * quarterMs)
}

/** The hostile texts of a length, by their shapes. */
const hostileTexts = (starts: readonly string[], characters: number): string[] =>
  ['', ...starts].flatMap((start) =>
    pumps.flatMap((pump) =>
      ends.map((end) => {
        const count = Math.floor((characters - start.length - end.length) / pump.length)
        return `${start}${pump.repeat(Math.max(0, count))}${end}`
      }),
    ),
  )

/** The hostile text that takes too long, among those that cost most when they are short. */
function slowText({ pattern, longest, starts }: ForeignInput): string | undefined {
  const costs = hostileTexts(starts, Math.min(longest, 2048)).map((text, index) => ({
    index,
    ms: searchMs(pattern, text, 2),
  }))
  const texts = hostileTexts(starts, longest)
  return costs
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 4)
    .map(({ index }) => texts[index] ?? '')
    .find((text) => !isQuick(pattern, text))
}

describe('the regular expressions for foreign texts', () => {
  it('appear in the sources', () => {
    const written = new Set(literals.map(String))
    assert.deepEqual(
      foreignInputs.map(({ pattern }) => `${pattern}`).filter((one) => !written.has(one)),
      [],
    )
    const constructed = products.flatMap((file) => read(file).match(/new RegExp\(/g) ?? [])
    assert.equal(constructed.length, built.length, 'each built expression has a row')
  })

  for (const input of [...foreignInputs, ...built])
    it(`take under 5 ms, or linear time, for ${input.longest} hostile characters: ${input.pattern} (AS38, RS34)`, () => {
      assert.ok(!isSuperLinear(input.pattern))
      assert.equal(slowText(input)?.slice(0, 40), undefined)
    })

  it('would be refused with an unclosed block', () => {
    const pattern = /-----BEGIN [A-Z ]*PRIVATE KEY-----.+?-----END/s
    assert.ok(!isQuick(pattern, '-----BEGIN PRIVATE KEY-----\n'.repeat(2000)))
  })
})
