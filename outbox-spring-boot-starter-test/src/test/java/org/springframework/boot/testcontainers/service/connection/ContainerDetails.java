package org.springframework.boot.testcontainers.service.connection;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** Stub of what {@code @ServiceConnection} registers for a container: a subclass of a class of this package, elsewhere. */
public abstract class ContainerDetails implements JdbcConnectionDetails {}
