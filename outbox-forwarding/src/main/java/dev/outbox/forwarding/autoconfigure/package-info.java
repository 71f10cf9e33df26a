/** Auto-configuration that the modules of all brokers share. */
@NullMarked
package dev.outbox.forwarding.autoconfigure;

import org.jspecify.annotations.NullMarked;
