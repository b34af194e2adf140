import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { releaseFaults } from '../release-faults.ts'

describe('a release', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-02\n\n- One.\n\n## [1.1.0] - 2026-01-01\n'
  const rows: [title: string, version: string, changelog: string, faults: string[]][] = [
    ['with a section of its version is possible', '1.2.0', changelog, []],
    [
      'without a section is refused',
      '1.3.0',
      changelog,
      ['CHANGELOG.md has no section ## [1.3.0]'],
    ],
    [
      'without a date is refused',
      '1.2.0',
      changelog.replace(' - 2026-01-02', ''),
      ['the section 1.2.0 has no date'],
    ],
    ['with an empty section is refused', '1.1.0', changelog, ['the section 1.1.0 is empty']],
    [
      'of another form is refused',
      '1.2',
      changelog,
      ['the version 1.2 is not MAJOR.MINOR.PATCH', 'CHANGELOG.md has no section ## [1.2]'],
    ],
  ]
  for (const [title, version, text, faults] of rows)
    it(title, () => assert.deepEqual(releaseFaults(JSON.stringify({ version }), text), faults))
})
