/** Adapters to named systems, a package for each. Nothing else knows them: to remove one is to delete its folder. */
@NullMarked
package dev.outbox.sample.adapters;

import org.jspecify.annotations.NullMarked;
