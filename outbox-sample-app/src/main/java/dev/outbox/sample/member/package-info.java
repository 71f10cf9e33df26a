/** Knows the members of guilds, how they came and which roles they have. */
@NullMarked
package dev.outbox.sample.member;

import org.jspecify.annotations.NullMarked;
