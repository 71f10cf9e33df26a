/** Code of the guides for those who have another outbox today. */
@NullMarked
package dev.outbox.spring.guides;

import org.jspecify.annotations.NullMarked;
