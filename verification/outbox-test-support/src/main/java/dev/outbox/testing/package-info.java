/** What the tests of all modules share: databases of their own, the guarantees they show, and the files of the project. */
@NullMarked
package dev.outbox.testing;

import org.jspecify.annotations.NullMarked;
