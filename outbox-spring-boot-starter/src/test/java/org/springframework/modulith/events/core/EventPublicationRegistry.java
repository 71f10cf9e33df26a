package org.springframework.modulith.events.core;

/** Stands for the interface of this name, which the starter recognizes by its name. */
public interface EventPublicationRegistry {}
