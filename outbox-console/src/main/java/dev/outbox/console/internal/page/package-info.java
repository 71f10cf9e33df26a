/** Pages of the console, and the changes that their forms make. */
@NullMarked
package dev.outbox.console.internal.page;

import org.jspecify.annotations.NullMarked;
