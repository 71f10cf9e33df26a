/** What an application may be notified of. */
@NullMarked
package dev.outbox.listener;

import org.jspecify.annotations.NullMarked;
