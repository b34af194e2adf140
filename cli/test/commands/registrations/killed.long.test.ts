import { it } from 'node:test'
import { assertCompleted } from './killed-apply.ts'

for (const isExecuted of [false, true]) {
  const what = isExecuted ? 'was executed' : 'was not sent'
  it(`an apply completes a killed apply whose last change ${what}`, async (test) => {
    let at = 1
    while (await assertCompleted(test, { at, isExecuted })) at += 1
  })
}
