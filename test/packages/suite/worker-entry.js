// The entry for workerd. Nothing of the suite runs outside of this request.
import input from './input.json'
import { runSuite } from './suite.js'

export default {
  async test() {
    console.log(JSON.stringify(await runSuite(input)))
  },
}
