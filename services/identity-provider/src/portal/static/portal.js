import './copy.js'
import './countdown.js'
import './follow.js'
