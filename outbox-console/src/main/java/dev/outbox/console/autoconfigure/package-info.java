/** Auto-configuration of the console. */
@NullMarked
package dev.outbox.console.autoconfigure;

import org.jspecify.annotations.NullMarked;
