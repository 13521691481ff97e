# filled by its owner
