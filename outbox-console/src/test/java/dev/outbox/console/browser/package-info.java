/** The console in a real browser. */
@NullMarked
package dev.outbox.console.browser;

import org.jspecify.annotations.NullMarked;
