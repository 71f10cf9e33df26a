/** Configures the delivery of the events of a Spring Modulith application through the outbox, from its properties and beans. */
@NullMarked
package dev.outbox.modulith.autoconfigure;

import org.jspecify.annotations.NullMarked;
