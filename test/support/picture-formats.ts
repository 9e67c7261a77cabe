/**
 * Setup of every test file: the picture library reads the formats of a detector process only, and no others, for the whole
 * process. Done once and before all tests, so that none depends on which files its worker ran earlier.
 */
import '../../src/detect/image/image-library.js'
