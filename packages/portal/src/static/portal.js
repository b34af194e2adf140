import './copy.js'
import './countdown.js'
import './decode.js'
import './follow.js'
