/** Annotations for the beans of an application with an outbox. */
@NullMarked
package dev.outbox.spring;

import org.jspecify.annotations.NullMarked;
