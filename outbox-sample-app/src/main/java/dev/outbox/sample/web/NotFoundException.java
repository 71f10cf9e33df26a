package dev.outbox.sample.web;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** The id in a request does not exist. Answers with status 404. */
public final class NotFoundException extends ResponseStatusException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception that names the missing object. */
    public NotFoundException(String what, Object id) {
        super(HttpStatus.NOT_FOUND, "there is no " + what + " with id " + id);
    }
}
