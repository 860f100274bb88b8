"""A session comes from elsewhere, goes elsewhere, or is played."""
