import { runService } from '../../src/process/run-service.ts'

/** A service in a process of its own. With `blocked`, its end never comes. With `chatty`, it logs all the time. */
await runService(process, {
  name: 'test',
  title: 'test service',
  settingNames: ['LOG_LEVEL'],
  readSettings: () => ({
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    STOP_DELAY_SECONDS: 0,
  }),
  start: async (_, log) => ({
    chatter:
      process.argv[2] === 'chatty' &&
      setInterval(() => {
        log.info('a line')
        process.send?.('a line')
      }, 1),
    url: 'http://127.0.0.1:1',
    stop: async () => {
      log.info('the last line')
      const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
      if (process.argv[2] === 'blocked') process.once('exit', wait)
    },
  }),
})
