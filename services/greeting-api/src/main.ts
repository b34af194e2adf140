import { runGreetingApi } from './run-greeting-api.ts'

await runGreetingApi(process)
