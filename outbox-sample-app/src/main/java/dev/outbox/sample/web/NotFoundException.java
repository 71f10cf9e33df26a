package dev.outbox.sample.web;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** Nothing has the id that a request names: an answer with status 404. */
public final class NotFoundException extends ResponseStatusException {

    private static final long serialVersionUID = 1L;

    /** Says what is not there. */
    public NotFoundException(String what, Object id) {
        super(HttpStatus.NOT_FOUND, "there is no " + what + " with id " + id);
    }
}
